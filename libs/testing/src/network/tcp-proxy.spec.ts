import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { TcpProxy } from './tcp-proxy.js';
import { until } from '../until.js';

describe('a TCP proxy', () => {
  /** Answers each text with `<text>!`. */
  let server: Server;
  let proxy: TcpProxy;
  const received: string[] = [];
  const sockets: Socket[] = [];

  beforeEach(async () => {
    received.length = 0;
    server = createServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => undefined).setEncoding('utf8');
      socket.on('data', (text: string) => {
        received.push(text);
        socket.write(`${text}!`);
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    proxy = await TcpProxy.open((server.address() as AddressInfo).port);
  });
  afterEach(async () => {
    await proxy.close();
    for (const socket of sockets.splice(0)) socket.destroy();
    server.close();
  });

  function open(port = proxy.port) {
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    let answers = '';
    let error = '';
    socket.setEncoding('utf8').on('data', (text: string) => (answers += text));
    socket.on('error', ({ message }) => (error = message));
    return {
      send: (text: string) => socket.write(text),
      end: () => socket.end(),
      answers: () => answers,
      error: () => error,
      closed: () => socket.destroyed,
    };
  }
  const exchange = async (text: string) => {
    const client = open();
    client.send(text);
    await until('it is answered', () => client.answers() === `${text}!`);
    return client;
  };

  it('forwards data in both directions, and the end of the client', async () => {
    const client = await exchange('a');
    client.end();
    await until('the connection is closed', () => client.closed() && proxy.connections === 0);
    expect(client.error()).toBe('');
  });

  it('names its own port in a URL', () => {
    expect(proxy.urlOf('postgresql://user:secret@db:1/name')).toBe(
      `postgresql://user:secret@127.0.0.1:${proxy.port}/name`,
    );
  });

  it('cuts all connections, and accepts new ones', async () => {
    const clients = [await exchange('a'), await exchange('b')];
    expect(proxy.cut()).toBe(2);
    await until('both are reset', () => clients.every((client) => client.closed()));
    expect(clients.map((client) => client.error())).toEqual(['read ECONNRESET', 'read ECONNRESET']);
    await exchange('c');
  });

  it('loses an answer after the server has the request', async () => {
    const client = await exchange('a');
    const lost: string[] = [];
    const keepAnswers = proxy.loseAnswers(
      (request) => request.includes('COMMIT'),
      (answer, request) => lost.push(`${request.toString()} ${answer.toString()}`),
    );
    const other = await exchange('b');
    client.send('COMMIT');
    await until('the connection is reset', () => client.closed());
    expect(received).toEqual(['a', 'b', 'COMMIT']);
    expect([client.answers(), client.error(), proxy.lostAnswers, lost]).toEqual([
      'a!',
      'read ECONNRESET',
      1,
      ['COMMIT COMMIT!'],
    ]);
    keepAnswers();
    other.send('COMMIT');
    await until('it is answered', () => other.answers() === 'b!COMMIT!');
  });

  it('loses answers for several reasons at once, until each is over', async () => {
    const lost: string[] = [];
    const lose = (text: string) =>
      proxy.loseAnswers(
        (request) => request.includes(text),
        () => lost.push(text),
      );
    const [keepFirst, keepSecond] = [lose('first'), lose('second')];
    keepFirst();
    const clients = [await exchange('a'), await exchange('b')] as const;
    clients[0].send('first');
    await until('it is answered', () => clients[0].answers() === 'a!first!');
    clients[1].send('second');
    await until('the connection is reset', () => clients[1].closed());
    expect(lost).toEqual(['second']);
    keepSecond();
    await exchange('second');
  });

  it('delays answers in their order', async () => {
    const client = await exchange('a');
    proxy.delayAnswers(50);
    client.send('b');
    await until('the server has it', () => received.length === 2);
    proxy.delayAnswers(0);
    client.send('c');
    await until('both are answered', () => client.answers().length === 6);
    expect(client.answers()).toBe('a!b!c!');
  });

  it('resets a client if the server cannot be reached', async () => {
    const closed = await TcpProxy.open(1);
    const client = open(closed.port);
    await until('the client is reset', () => client.closed() && closed.connections === 0);
    expect(client.error()).toContain('ECONNRESET');
    await closed.close();
  });
});
