/**
 * Elysia asks for a garbage collection when it has compiled an app. A server does so once, but the tests some hundred
 * times, beside all that they hold: this leaves it out.
 */
export function uncollected<Made>(create: () => Made): Made {
  const { gc } = Bun;
  Bun.gc = () => 0;
  try {
    return create();
  } finally {
    Bun.gc = gc;
  }
}
