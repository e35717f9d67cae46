// `node --import ./tools/jest/register.mjs <script>.ts`: runs a script of the repository from its source.
import { register } from 'node:module';

register('./hooks.mjs', import.meta.url);
