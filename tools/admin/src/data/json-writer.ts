import { once } from 'node:events';
import type { Writable } from 'node:stream';

type Output = Pick<Writable, 'write'> | { write(text: string): unknown };

/** Writes one JSON document piece by piece, and waits while the reader is slower. */
export class JsonWriter {
  private isFirst = true;

  constructor(private readonly output: Output) {}

  /** `{` or `[`, as the value of a field or as a member. */
  async open(bracket: '{' | '[', field?: string): Promise<void> {
    await this.item(bracket, field);
    this.isFirst = true;
  }

  async close(bracket: '}' | ']'): Promise<void> {
    this.isFirst = false;
    await this.write(bracket);
  }

  async value(value: unknown, field?: string): Promise<void> {
    await this.item(JSON.stringify(value), field);
  }

  async end(): Promise<void> {
    await this.write('\n');
  }

  private async item(text: string, field?: string): Promise<void> {
    const separator = this.isFirst ? '' : ',\n';
    this.isFirst = false;
    await this.write(`${separator}${field === undefined ? '' : `${JSON.stringify(field)}: `}${text}`);
  }

  private async write(text: string): Promise<void> {
    if (this.output.write(text) === false && 'once' in this.output)
      await once(this.output as Writable, 'drain');
  }
}
