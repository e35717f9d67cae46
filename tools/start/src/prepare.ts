import { describeError } from '@gangan/protocol';
import { text } from 'node:stream/consumers';
import { type Order, prepareStore } from './data/prepare-store.js';

// A child process: reads its order from the standard input, and writes the lines to print and the result as JSON.
// The modules above load while Postgres starts, and the supervisor does not carry them afterwards.
const lines: string[] = [];
const order = await text(process.stdin);
if (order !== '') {
  const result = await prepareStore(JSON.parse(order) as Order, (line) => lines.push(line), process.env).then(
    (prepared) => ({ lines, prepared }),
    (error: unknown) => ({ lines, failure: describeError(error) }),
  );
  process.stdout.write(JSON.stringify(result), () => process.exit());
}
