import { describe } from '@jest/globals';
import { sealsSecretsAtRest } from './canary/secrets-at-rest.js';
import { takesLongTexts } from './fuzz/long-texts.js';
import { answersAsDocumented } from './fuzz/random-requests.js';
import { refusesWrongValues } from './fuzz/wrong-values.js';
import { answersLikeItsExamples } from './interface/response-examples.js';
import { useSharedSystem } from './support/shared-system.js';
import { separatesOrganisations } from './tenants/separation.js';

describe('the API', () => {
  const running = useSharedSystem();

  describe('the database', () => {
    sealsSecretsAtRest(running);
  });
  describe('two organisations', () => {
    separatesOrganisations(running);
  });
  describe('every documented route', () => {
    answersAsDocumented(running);
    answersLikeItsExamples(running);
    refusesWrongValues(running);
  });
  describe('long texts take time in proportion to their length', () => {
    takesLongTexts(running);
  });
});
