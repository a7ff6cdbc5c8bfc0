/** They are about the question; the model knows numbers. */
export const withoutWarnings = <T extends object>(
  answer: T,
): Omit<T, "warnings" | "count_mode"> => {
  const { warnings: _, count_mode: __, ...numbers } = { warnings: [], count_mode: "", ...answer };
  return numbers;
};
