/** Asks at most once in a while, however many want to know: probes and scrapes must cost nothing. */
export function remembered<T>(milliseconds: number, ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined;
  let askedAt = 0;
  return () => {
    const now = performance.now();
    if (answer === undefined || now - askedAt >= milliseconds) {
      askedAt = now;
      answer = ask();
    }
    return answer;
  };
}
