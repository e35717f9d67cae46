import { connect } from 'node:net';

/** Sends one command and returns the raw reply (`+PONG`, `:1`, `$…`). */
export const redisCommand = (port: number, command: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let reply = '';
    socket.setEncoding('utf8');
    socket.once('error', reject);
    socket.once('connect', () => socket.write(`${command}\r\nQUIT\r\n`));
    socket.on('data', (chunk: string) => (reply += chunk));
    socket.once('close', () => {
      if (reply.startsWith('-')) reject(new Error(`Redis refused ${command.slice(0, 40)}: ${reply.trim()}`));
      else if (reply === '') reject(new Error(`Redis on port ${port} closed the connection`));
      else resolve(reply);
    });
  });
