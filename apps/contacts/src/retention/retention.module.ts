import { Module } from '@nestjs/common';
import { contactsRetention } from '../contacts.retention.js';
import { AuditHeads } from './audit-heads.js';
import { ContactTallies } from './contact-tallies.js';
import { RemovedColumns } from './removed-columns.js';

@Module({ providers: [contactsRetention, ContactTallies, RemovedColumns, AuditHeads] })
export class RetentionModule {}
