import { until } from '@gangan/testing';
import { beforeAll, beforeEach } from '@jest/globals';
import type { SubmitResult } from '../../src/providers/message-provider.js';
import type { DeliveryReport, Unapplied } from '../../src/reports/reports.service.js';
import { DeliveryFixture, type MessageOptions } from './delivery-fixture.js';
import type { DeliveryWorker } from './delivery-worker.js';
import { Pending, ScriptedProvider } from './scripted-provider.js';

/** Deliveries whose provider is being called. */
export interface Submitting {
  readonly deliveries: string[];
  /** The provider answers, and the worker stores the result. */
  readonly answer: (result: SubmitResult) => Promise<void>;
}

/** An organisation, and for each test a worker with one scripted provider. */
export class ScriptedFixture {
  readonly fixture = DeliveryFixture.use();
  organisation!: string;
  provider!: ScriptedProvider;
  worker!: DeliveryWorker;

  private constructor() {}

  static use(name?: string): ScriptedFixture {
    const scripted = new ScriptedFixture();
    const { fixture } = scripted;
    beforeAll(async () => {
      scripted.organisation = await fixture.organisation();
    });
    beforeEach(async () => {
      scripted.provider = new ScriptedProvider(name);
      scripted.worker = await fixture.worker({ named: [scripted.provider] });
    });
    return scripted;
  }

  /** Stores a message, and submits it. @returns the ids of its deliveries */
  async send(options?: MessageOptions, organisation = this.organisation): Promise<string[]> {
    const { deliveries } = await this.fixture.accept(organisation, options);
    await this.worker.due(organisation, deliveries);
    return deliveries;
  }

  /** Stores a message, and submits it until the provider is called. */
  async startSubmitting(): Promise<Submitting> {
    const pending = new Pending<SubmitResult>();
    this.provider.onSubmit = () => pending.answer;
    const { deliveries } = await this.fixture.accept(this.organisation);
    const submitted = this.worker.due(this.organisation, deliveries);
    await until('the provider is called', () => this.provider.submitted.length === 1);
    const answer = (result: SubmitResult): Promise<void> => {
      pending.give(result);
      return submitted;
    };
    return { deliveries, answer };
  }

  /** Receives reports of the provider. */
  receive(reports: readonly DeliveryReport[]): Promise<Unapplied> {
    return this.worker.reports.receive(this.provider.name, reports);
  }
}
