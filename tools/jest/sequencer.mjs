import Sequencer from '@jest/test-sequencer';

const suites = ['e2e', 'medium', 'small'];
const suiteOf = (test) => suites.indexOf(test.context.config.displayName.name);

/** The suite with the longest files first: a long file at the end would keep one core busy while the others are idle. */
export default class LongestSuiteFirst extends Sequencer {
  sort(tests) {
    return super.sort(tests).toSorted((one, other) => suiteOf(one) - suiteOf(other));
  }
}
