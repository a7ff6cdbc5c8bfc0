import type { Page } from "playwright-core";

/** The colour in the middle of what a person sees of the recorded page. */
export async function colourOf(page: Page): Promise<number[]> {
  const picture = await page.locator(".stage").screenshot();
  const blank = await page.context().browser()?.newPage();
  if (blank === undefined) throw new Error("The page is of no browser that has others.");
  const colour: number[] = await blank.evaluate(`(async () => {
    const image = new Image();
    image.src = "data:image/png;base64,${picture.toString("base64")}";
    await image.decode();
    const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    return [...context.getImageData(image.width / 2, image.height / 2, 1, 1).data].slice(0, 3);
  })()`);
  await blank.close();
  return colour;
}
