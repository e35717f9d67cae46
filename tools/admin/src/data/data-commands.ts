import type { Command } from 'commander';
import type { AdminSession } from '../session/session.js';
import { addEraseCommand } from './erase-command.js';
import { addExportCommand } from './export-command.js';

export function addCommands(group: Command, session: AdminSession): void {
  addExportCommand(group, session);
  addEraseCommand(group, session);
}
