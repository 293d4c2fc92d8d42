"""Calls every operation with a client that is generated from the description.

Prints the names of those that answered as described. Arguments: the address of the service, a key, an endorser's slug
and an officeholder's id.
"""

import json
import sys
from typing import TypeVar

import httpx
from generated import AuthenticatedClient
from generated.api.changes import list_events, stream_events
from generated.api.contests import get_contest, list_contests
from generated.api.elections import list_elections
from generated.api.endorsements import (
    get_digest,
    get_endorsement,
    list_endorsements,
)
from generated.api.endorsers import get_endorser, list_endorser_categories, list_endorsers
from generated.api.officeholders import get_officeholder, list_officeholders
from generated.api.publishing import create_submissions, get_submissions
from generated.api.recommendations import get_recommendations
from generated.api.states import get_coverage, list_states
from generated.api.subscriptions import (
    create_subscription,
    delete_subscription,
    get_subscription,
    list_subscriptions,
    replace_subscription,
)
from generated.api.webhooks import (
    create_webhook,
    delete_webhook,
    get_webhook,
    list_webhooks,
    replace_webhook,
    resume_webhook,
    rotate_webhook_secret,
    test_webhook,
)
from generated.models import (
    Agreement,
    ContestKind,
    ContestPage,
    ContestWithPositionsResponse,
    CoverageList,
    DigestResponse,
    ElectionPage,
    ElectionType,
    EndorsementCreated,
    EndorsementResponse,
    EndorserCategoryList,
    EndorserFilter,
    EndorserPage,
    EndorserWithElectionsResponse,
    ErrorCode,
    ErrorResponse,
    EventPage,
    Filter,
    Level,
    ListEventsFrom,
    ListedEndorsementPage,
    NewWebhookBody,
    OfficeholderPage,
    OfficeholderWithSeatsResponse,
    PickSubmission,
    PublicationResponse,
    RecommendationsResponse,
    SeatLevel,
    StateCode,
    StateList,
    StreamEventsFrom,
    SubmissionsBody,
    SubmissionStatus,
    SubscriptionBody,
    SubscriptionList,
    SubscriptionResponse,
    WebhookBody,
    WebhookList,
    WebhookResponse,
    WebhookResumeBody,
    WebhookWithSecretResponse,
)

Record = TypeVar("Record")

base_url, key, slug, person = sys.argv[1:5]
called: list[str] = []


def join_lists(request: httpx.Request) -> None:
    """The generator repeats the parameter of a list for each value; the service takes them comma-separated."""
    params = request.url.params
    joined = {name: ",".join(params.get_list(name)) for name in params}
    request.url = request.url.copy_with(params=joined)


client = AuthenticatedClient(
    base_url=base_url, token=key, httpx_args={"event_hooks": {"request": [join_lists]}}
)


def need(name: str, answer: object, kind: type[Record]) -> Record:
    """Notes an operation, and returns its record."""
    if isinstance(answer, ErrorResponse):
        raise SystemExit(f"{name}: {answer.error.code.value} {answer.error.message}")
    if not isinstance(answer, kind):
        raise SystemExit(f"{name} answers {answer!r}")
    called.append(name)
    return answer


states = need("listStates", list_states.sync(client=client), StateList)
assert any(state.code is StateCode.ME for state in states.data)
elections = need(
    "listElections",
    list_elections.sync(client=client, states=[StateCode.ME, StateCode.OR], types=[ElectionType.GENERAL]),
    ElectionPage,
)
election = elections.data[0]
assert election.details.ranked_choice is True
assert election.date.year == 2026
need("listEndorserCategories", list_endorser_categories.sync(client=client), EndorserCategoryList)
page = need("listEndorsers", list_endorsers.sync(client=client, limit=1), EndorserPage)
assert page.next_cursor is not None
need("listEndorsers", list_endorsers.sync(client=client, limit=1, cursor=page.next_cursor), EndorserPage)
need("getEndorser", get_endorser.sync(slug, client=client), EndorserWithElectionsResponse)
need(
    "listContests",
    list_contests.sync(
        client=client, levels=[Level.CITY, Level.SCHOOL], contest_kinds=[ContestKind.CANDIDATE]
    ),
    ContestPage,
)
endorsements = need("listEndorsements", list_endorsements.sync(client=client), ListedEndorsementPage)
listed = endorsements.data[0]
assert listed.choice.party is None or listed.choice.party
endorsement = need("getEndorsement", get_endorsement.sync(listed.id, client=client), EndorsementResponse)
contest = need(
    "getContest",
    get_contest.sync(endorsement.data.contest.id, client=client),
    ContestWithPositionsResponse,
)
assert any(pick.rank == 1 for position in contest.data.endorsements for pick in position.picks)
digest = need("getDigest", get_digest.sync(client=client), DigestResponse)
if len(digest.data.buckets) != 1:
    raise SystemExit("The digest has no bucket.")
need("getCoverage", get_coverage.sync(client=client, upcoming=False), CoverageList)
need("listOfficeholders", list_officeholders.sync(client=client, levels=[SeatLevel.STATE]), OfficeholderPage)
officeholder = need(
    "getOfficeholder", get_officeholder.sync(person, client=client), OfficeholderWithSeatsResponse
)
assert officeholder.data.seats[0].term.start is None
recommendations = need(
    "getRecommendations",
    get_recommendations.sync(client=client, election=[election.slug], endorsers=[slug]),
    RecommendationsResponse,
).data
assert isinstance(recommendations.endorsers, EndorserFilter)
assert any(
    contest_.recommendation.agreement is Agreement.UNANIMOUS
    for election_ in recommendations.elections
    for contest_ in election_.contests
)

events = need("listEvents", list_events.sync(client=client, from_=ListEventsFrom.EARLIEST), EventPage)
first = events.data[0]
assert isinstance(first, EndorsementCreated)

# The generated function waits for the end of the answer, but a stream never ends.
request = stream_events._get_kwargs(from_=StreamEventsFrom.EARLIEST)
with client.get_httpx_client().stream(**request) as stream:
    kind = ""
    for line in stream.iter_lines():
        if line.startswith("event: "):
            kind = line.removeprefix("event: ")
        if line.startswith("data: ") and kind == "endorsement":
            event = EndorsementCreated.from_dict(json.loads(line.removeprefix("data: ")))
            assert event == first
            called.append("streamEvents")
            break

created = need(
    "createSubscription",
    create_subscription.sync(
        client=client, body=SubscriptionBody(name="Generated", filter_=Filter(states=[StateCode.ME]))
    ),
    SubscriptionResponse,
)
id_ = created.data.id
need("getSubscription", get_subscription.sync(id_, client=client), SubscriptionResponse)
need(
    "replaceSubscription",
    replace_subscription.sync(id_, client=client, body=SubscriptionBody(name="Generated again")),
    SubscriptionResponse,
)
need("listSubscriptions", list_subscriptions.sync(client=client), SubscriptionList)
deleted = delete_subscription.sync_detailed(id_, client=client)
assert deleted.status_code == 204
called.append("deleteSubscription")
gone = get_subscription.sync(id_, client=client)
assert isinstance(gone, ErrorResponse)
assert gone.error.code is ErrorCode.SUBSCRIPTION_NOT_FOUND

published = need(
    "createSubmissions",
    create_submissions.sync(
        client=client,
        body=SubmissionsBody(
            submissions=[PickSubmission(endorser=slug, contest=f"{election.slug}/nowhere", choice="nobody")]
        ),
    ),
    PublicationResponse,
)
outcome = need(
    "getSubmissions", get_submissions.sync(published.data.id, client=client, wait=25), PublicationResponse
)
assert outcome.data.submissions[0].status is SubmissionStatus.REJECTED

hook_url = "https://hooks.example.org/"
hook = need(
    "createWebhook",
    create_webhook.sync(client=client, body=NewWebhookBody(name="Generated", url=hook_url)),
    WebhookWithSecretResponse,
)
assert hook.data.secret.startswith("whsec_")
hook_id = hook.data.id
need("getWebhook", get_webhook.sync(hook_id, client=client), WebhookResponse)
need("listWebhooks", list_webhooks.sync(client=client), WebhookList)
need(
    "replaceWebhook",
    replace_webhook.sync(hook_id, client=client, body=WebhookBody(name="Again", url=hook_url)),
    WebhookResponse,
)
need("rotateWebhookSecret", rotate_webhook_secret.sync(hook_id, client=client), WebhookWithSecretResponse)
need("resumeWebhook", resume_webhook.sync(hook_id, client=client, body=WebhookResumeBody()), WebhookResponse)
tested = test_webhook.sync(999_999, client=client)
assert isinstance(tested, ErrorResponse)
called.append("testWebhook")
assert delete_webhook.sync_detailed(hook_id, client=client).status_code == 204
called.append("deleteWebhook")

print(json.dumps(sorted(set(called))))
