import { Module } from '@nestjs/common';
import { InboxModule } from '../inbox/inbox.module.js';
import { MessagesModule } from '../messages/messages.module.js';
import { HelpAnswersRepository } from './help-answers.repository.js';
import { HelpAnswersRunner, HelpAnswersService } from './help-answers.service.js';
import { KeywordHandler } from './keyword-handler.js';

@Module({
  imports: [InboxModule, MessagesModule],
  providers: [KeywordHandler, HelpAnswersRepository, HelpAnswersService, HelpAnswersRunner],
})
export class KeywordsModule {}
