import {
  flag,
  option,
  type OptionsOf,
  positive,
  type Reader,
  someOf,
  whole,
  wholeFrom,
} from '@gangan/testing';
import { scenarios } from './parts.js';

const chosenNames: Reader<readonly string[]> = (text, name) =>
  text === '' ? [] : someOf(scenarios.map((scenario) => scenario.name))(text, name);
const path: Reader<string> = (text) => text;

export const suiteOptions = {
  only: option(chosenNames, '', 'some scenarios, long ones too; --list shows their names', 'a,b'),
  list: flag('list the scenarios and their bars, and measure nothing'),
  long: flag('measure the scenarios that take long instead'),
  check: flag('fail if a bar is missed by more than the spread'),
  out: option(path, '', 'write the results to this file as JSON', 'FILE'),
  docs: flag('update the table of docs/inside/performance.md (with --list: without new results)'),
  seconds: option(whole, '2', 'the length of each measurement under load'),
  rounds: option(whole, '5', 'how often each scenario is measured; medians are shown'),
  'warm-up': option(wholeFrom(0), '5000', 'how many requests a process handles before it is measured'),
  minutes: option(positive, '10', 'with --long: how long memory is watched'),
};

export type SuiteOptions = OptionsOf<typeof suiteOptions>;
