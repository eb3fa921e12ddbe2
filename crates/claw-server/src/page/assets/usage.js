// The page of the usage, which also says how many sessions ask.
import { activity, listen } from './activity.js';
import { at } from './common.js';
import { showWhole } from './limits.js';

showWhole().catch(() => { at('seen').textContent = 'The limits cannot be read now.'; });
listen({ activity });
