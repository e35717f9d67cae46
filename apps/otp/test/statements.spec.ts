import * as database from '@gangan/database';
import { describeStatements } from '@gangan/testing';

await describeStatements(database, new URL('../src/', import.meta.url), { app: 'otp' });
