/** Numbers that look drawn and are always the same: the demo has the same data for the same date, on every server. */
export class Draw {
  #state: number;

  /** Equal seeds draw equal numbers. */
  constructor(...seed: readonly number[]) {
    this.#state = mixed(...seed);
  }

  /** Draws an integer from 0 up to, but without, `end`. */
  below(end: number): number {
    this.#state = (this.#state + 0x9e3779b9) >>> 0;
    return Math.floor((spread(this.#state) / 2 ** 32) * end);
  }
  between(from: number, to: number): number {
    return from + this.below(to - from + 1);
  }
  /** Returns true with the given probability in percent. */
  percent(share: number): boolean {
    return this.below(100) < share;
  }
  /** The place of one of the weights. */
  pickIndex(weights: readonly number[]): number {
    let left = this.below(weights.reduce((sum, weight) => sum + weight, 0));
    return weights.findIndex((weight) => {
      left -= weight;
      return left < 0;
    });
  }
  /** One of them, each as often as its weight says. */
  pick<T>(choices: Choices<T>): T {
    const [choice] = choices[this.pickIndex(choices.map(([, weight]) => weight))] ?? choices[0];
    return choice;
  }
}

export type Choices<T> = readonly [Choice<T>, ...Choice<T>[]];
type Choice<T> = readonly [choice: T, weight: number];

const mixed = (...numbers: readonly number[]): number =>
  numbers.reduce((state, number) => spread((state ^ number) + 0x85ebca6b), 0x2545f491);

/** Each bit of 32 depends on all bits that went in. */
function spread(number: number): number {
  let bits = number >>> 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x21f0aaad);
  bits = Math.imul(bits ^ (bits >>> 15), 0x735a2d97);
  return (bits ^ (bits >>> 15)) >>> 0;
}
