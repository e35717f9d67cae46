/** Postgres limits a notification to 8,000 bytes; payloads are plain ASCII, so a character is a byte. */
const CHUNK_CHARACTERS = 7_900;

/** Cuts a payload into notifications: `<message>/<index>/<count>/<text>`. */
export function cut(message: string, payload: string): string[] {
  const count = Math.max(1, Math.ceil(payload.length / CHUNK_CHARACTERS));
  return Array.from(
    { length: count },
    (_, index) =>
      `${message}/${index}/${count}/${payload.slice(index * CHUNK_CHARACTERS, (index + 1) * CHUNK_CHARACTERS)}`,
  );
}

/** Puts the payloads of one connection together again. Chunks of one message arrive in order, but those of several may mix. */
export class Assembler {
  private readonly partial = new Map<string, string[]>();

  /** The whole payload once its last chunk is here. */
  take(notification: string): string | undefined {
    const [message = '', index = '', count = ''] = notification.split('/', 3);
    const text = notification.slice(message.length + index.length + count.length + 3);
    if (count === '1') return text;
    const chunks = this.partial.get(message) ?? [];
    chunks.push(text);
    if (chunks.length < Number(count)) {
      this.partial.set(message, chunks);
      return undefined;
    }
    this.partial.delete(message);
    return chunks.join('');
  }
}
