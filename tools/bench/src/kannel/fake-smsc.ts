import { connect } from 'node:net';
import { announceReady, answerQuestions } from '../processes/script.js';
import type { FakeSmscCount } from './kannel-run.js';

const newline = 10;

/** The carrier of Kannel's `fake` protocol: it connects to bearerbox and gets one line per message. */
const [port = ''] = process.argv.slice(2);
let count: FakeSmscCount = { messages: 0, lastAt: 0 };
const socket = connect(Number(port), '127.0.0.1', announceReady);
socket.on('data', (chunk) => {
  let { messages } = count;
  for (const byte of chunk) if (byte === newline) messages += 1;
  count = { messages, lastAt: Date.now() };
});
answerQuestions(() => count);
