// An app of the size of a test: FAKE says how it behaves.
import console from 'node:console';
import process from 'node:process';
import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';

const { FAKE = '', FAKE_MARK = '', FAKE_OWN = '' } = process.env;
const ready = () => process.send({ type: 'ready', name: 'fake' });
console.log(`behaving as ${FAKE}`);

switch (FAKE) {
  case 'dies':
    console.log('the sky is falling');
    process.exit(3);
    break;
  case 'misconfigured':
    process.send({ type: 'misconfigured', faults: ['  LOG_LEVEL is odd\n', `  ${FAKE_OWN} is odd\n`] }, () =>
      process.exit(78),
    );
    break;
  case 'dies once':
    if (existsSync(FAKE_MARK)) ready();
    else {
      writeFileSync(FAKE_MARK, '');
      process.exit(4);
    }
    break;
  case 'well until marked':
    if (existsSync(FAKE_MARK)) process.exit(5);
    else ready();
    break;
  case 'unhealthy once':
  case 'hung once': {
    const isFirst = !existsSync(FAKE_MARK);
    writeFileSync(FAKE_MARK, '');
    const report = { healthy: !isFirst, checks: { event_loop: 'ok', handlers: isFirst ? 'slow' : 'ok' } };
    const server = createServer((request, response) => {
      if (isFirst && FAKE === 'hung once') request.destroy();
      else response.writeHead(isFirst ? 503 : 200).end(JSON.stringify(report));
    });
    server.listen(0, '127.0.0.1', () =>
      process.send({ type: 'ready', name: 'fake', metricsPort: server.address().port }),
    );
    process.on('SIGTERM', () => process.exit(0));
    process.on('disconnect', () => process.exit(0));
    break;
  }
  case 'stubborn':
    process.on('SIGTERM', () => console.log('not yet'));
    process.on('disconnect', () => console.log('not yet'));
    ready();
    break;
  default:
    process.on('SIGTERM', () => process.exit(0));
    process.on('disconnect', () => process.exit(0));
    ready();
}
globalThis.setInterval(() => undefined, 1_000);
