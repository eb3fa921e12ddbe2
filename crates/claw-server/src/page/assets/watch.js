// A page that shows no session, and says how many ask.
import { activity, listen } from './activity.js';

listen({ activity });
