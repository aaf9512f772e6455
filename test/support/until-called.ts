/** A promise, and what resolves it. */
export function untilCalled(): [called: Promise<void>, call: () => void] {
  let call = (): void => {}
  const called = new Promise<void>((resolve) => (call = resolve))
  return [called, call]
}
