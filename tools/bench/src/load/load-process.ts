import { answerQuestions, announceReady } from '../processes/script.js';
import { type PacedLoadTask, runPacedLoad } from './paced-load.js';
import { type LoadTask, runLoad } from './run-load.js';

/** The load generator: requests as fast as they are answered, or at a steady rate. */
answerQuestions((task: LoadTask | PacedLoadTask) =>
  'perSecond' in task ? runPacedLoad(task) : runLoad(task),
);
announceReady();
