/** Short and long forms of given names. Names that are one person's more often than another's are left out. */
const GROUPS = `
abraham abe | albert al bert | alexander alex alec sandy | alexandra alex sandra | alfred al fred | alice ali |
alberto beto | andrew andy drew | ann anne anna annie | anthony tony | antonio tony | arthur art | barbara barb | benjamin ben benny | bernard bernie |
bradley brad | catherine katherine kathryn cathy kathy kate katie kay | charles charlie chuck | christine christina chris tina |
christopher chris | clifford cliff | cynthia cindy | daniel dan danny | david dave | deborah debra deb debbie |
dennis denny | dolores lola | donald don donny | dorothy dot dottie | douglas doug | edward ed eddie ted | edwin ed |
eleanor ellie nell | elizabeth liz beth betsy betty eliza lisa | eugene gene | frances fran | francis frank | francisco frank paco pancho |
franklin frank | frederick fred freddie | gabriel gabe | gerald gerry jerry | geraldine gerry | gilbert gil | gregory greg |
guadalupe lupe | harold hal harry | henry hank harry | ignacio nacho | jacob jake | jacqueline jackie | james jim jimmy jamie |
janet jan | jeffrey jeff | jennifer jen jenny | jesus chuy | joan joanie | john jack johnny jon | jonathan jon | jose pepe |
joseph joe joey | joshua josh | judith judy | kenneth ken kenny | kevin kev | kimberly kim | laurence lawrence larry |
leonard len lenny leo | leslie les | lillian lily | louis lou louie | luis lou | manuel manny | margaret maggie meg peggy marge |
maria mary | martin marty | matthew matt | michael mike mickey | mitchell mitch | nancy nan | nathan nate | nathaniel nate |
nicholas nick | pamela pam | patricia pat patty tricia | patrick pat | peter pete | philip phillip phil | rachel rae |
randall randy | raymond ray | rebecca becky | richard dick rich rick | robert bob bobby rob robby | roberto bob beto | roger rodge |
ronald ron ronnie | rosemary rose | russell russ | samuel sam | samantha sam | sandra sandy | stanley stan | stephen steven steve |
stephanie steph | susan sue susie | sylvester sly | theodore ted teddy theo | theresa teresa terry tess | terrence terry |
thomas tom tommy | timothy tim | victor vic | victoria vicky | vincent vince | virginia ginny | walter walt wally |
wesley wes | william bill billy will willie | zachary zach`;

const groupsByName = new Map<string, Set<number>>();
GROUPS.split('|').forEach((group, number) => {
  for (const name of group.trim().split(/\s+/)) {
    const numbers = groupsByName.get(name) ?? new Set();
    groupsByName.set(name, numbers.add(number));
  }
});

/** Whether two given names can be forms of one: `bill` and `william`. Takes folded words. */
export function areNicknames(a: string, b: string): boolean {
  const others = groupsByName.get(b);
  return others !== undefined && [...(groupsByName.get(a) ?? [])].some((group) => others.has(group));
}
