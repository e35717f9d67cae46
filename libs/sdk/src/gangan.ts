import { Api, type Credentials, type Settings } from './api.js';
import { Airtime } from './resources/airtime.js';
import { Balance, Ledger, Prices } from './resources/billing.js';
import { Callbacks } from './resources/callbacks.js';
import { Contacts } from './resources/contacts.js';
import { Inbox } from './resources/inbox.js';
import { Lookup } from './resources/lookup.js';
import { Messages } from './resources/messages.js';
import { OptOuts } from './resources/opt-outs.js';
import { Otp } from './resources/otp.js';
import { Simulator } from './resources/simulator.js';
import { Templates } from './resources/templates.js';

/** `apiKey` on a server; in a browser `organisation`, with the cookie of a session. */
export type GanganOptions = Settings & Credentials;

/** A client of the HTTP API. Fields have the names of the API. */
export class Gangan {
  readonly messages: Messages;
  readonly otp: Otp;
  readonly airtime: Airtime;
  readonly lookup: Lookup;
  readonly contacts: Contacts;
  readonly templates: Templates;
  readonly inbox: Inbox;
  readonly optOuts: OptOuts;
  readonly callbacks: Callbacks;
  readonly balance: Balance;
  readonly ledger: Ledger;
  readonly prices: Prices;
  readonly simulator: Simulator;

  constructor(options: GanganOptions) {
    const api = new Api(options);
    this.messages = new Messages(api);
    this.otp = new Otp(api);
    this.airtime = new Airtime(api);
    this.lookup = new Lookup(api);
    this.contacts = new Contacts(api);
    this.templates = new Templates(api);
    this.inbox = new Inbox(api);
    this.optOuts = new OptOuts(api);
    this.callbacks = new Callbacks(api);
    this.balance = new Balance(api);
    this.ledger = new Ledger(api);
    this.prices = new Prices(api);
    this.simulator = new Simulator(api);
  }
}
