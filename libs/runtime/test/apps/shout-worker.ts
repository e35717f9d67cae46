import { setTimeout as pause } from 'node:timers/promises';
import { Handles } from '@gangan/queue';
import { Controller, Module } from '@nestjs/common';
import { AppLogger, defineConfig, runWorker, str } from '@gangan/runtime';
import { type EchoReply, type EchoRequest, shout } from '../support/contracts.js';

class ShoutConfig extends defineConfig({
  ECHO_PREFIX: str({ default: '', desc: 'Said before every answer' }),
}) {}

@Controller()
class ShoutHandler {
  constructor(
    private readonly logger: AppLogger,
    private readonly config: ShoutConfig,
  ) {}

  @Handles(shout)
  async say({ text, afterMs }: EchoRequest): Promise<EchoReply> {
    this.logger.info({}, 'shouting');
    await pause(afterMs);
    return { text: this.config.ECHO_PREFIX + text.toUpperCase() };
  }
}

@Module({ controllers: [ShoutHandler] })
class ShoutModule {}

await runWorker({ name: 'shout', module: ShoutModule, config: ShoutConfig, contracts: [shout] });
