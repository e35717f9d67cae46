export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** The status is 0 if nothing listens on the port. */
export const ask = async (port: number, path: string): Promise<Answer> => {
  try {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    return { status: response.status, text: await response.text() };
  } catch (error) {
    return { status: 0, text: String(error) };
  }
};
