// A worker in a process of its own, so that it can be killed. It runs the built package, as a deployment does.
import 'reflect-metadata';
import { defineRequest } from '@gangan/protocol';
import { ErrorPassthroughFilter, Handles, MasterKeys, Queues } from '@gangan/queue';
import { Controller, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

const { settings, master, hold } = JSON.parse(process.argv[2]);
const askPatiently = defineRequest({
  queue: 'oracle',
  name: 'oracle.patiently',
  deadlineMs: 60_000,
  request: class {},
  reply: class {},
});

class OracleController {
  answer({ text }) {
    process.send({ started: text });
    if (text === 'die') process.kill(process.pid, 'SIGKILL');
    return hold ? new Promise(() => undefined) : { text: `${text}!` };
  }
}
Controller()(OracleController);
Handles(askPatiently)(
  OracleController.prototype,
  'answer',
  Object.getOwnPropertyDescriptor(OracleController.prototype, 'answer'),
);

class OracleModule {}
Module({ controllers: [OracleController] })(OracleModule);

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const keys = new MasterKeys([master]);
const queues = await Queues.open({ ...settings, app: 'oracle', keys }, 'worker', silent);
const app = await NestFactory.createMicroservice(OracleModule, { strategy: queues.server, logger: false });
app.useGlobalFilters(new ErrorPassthroughFilter());
await app.listen();
process.send({ ready: true });
process.on('disconnect', () => process.exit(0));
