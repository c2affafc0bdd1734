using System.Text.Json;
using Microsoft.AspNetCore.Http;
using Weir.AspNetCore.Http;
using Weir.AspNetCore.Problems;
using Weir.Jobs.AspNetCore.Answers;
using Weir.Jobs.AspNetCore.Endpoints;

namespace Weir.Jobs.AspNetCore.Admin;

/// <summary>
/// Begins all jobs of a filter again, or cancels them, if there are as many as the caller has seen. They are found page by page, and changed as many at once as one commit of the store takes. Used concurrently.
/// </summary>
/// <param name="jobs">The parts of the endpoints.</param>
internal sealed class ManyJobs(JobsOverHttp jobs)
{
    /// <summary>How many are changed by one request at most.</summary>
    internal const int Most = 10_000;

    private const int AtOnce = 256;
    private const int PageSize = 1_000;
    private const int MostBody = 16 * 1024;

    private static readonly JobState[] CanRetry = [JobState.Failed, JobState.Cancelled, JobState.Expired];
    private static readonly JobState[] CanCancel = [JobState.Scheduled, JobState.Ready, JobState.Running];

    /// <summary>How many match a filter now, up to one more than may be changed at once.</summary>
    public async Task CountAsync(HttpContext http)
    {
        var errors = new List<BindingError>();
        var query = JobFilter.Read(http.Request.Query, errors, JobFilter.Conditions);
        if (errors.Count > 0)
        {
            throw new BindingException(errors);
        }

        var found = await FindAsync(query, http.RequestAborted);
        await JobJson.WriteAsync(http, StatusCodes.Status200OK, json =>
        {
            json.WriteStartObject();
            json.WriteNumber("count"u8, found.Count);
            json.WriteEndObject();
        });
    }

    /// <summary>Begins them again.</summary>
    public Task RetryAsync(HttpContext http) => ChangeAsync(http, CanRetry, async (id, cancellationToken) => await jobs.Services.Jobs.RetryAsync(id, cancellationToken));

    /// <summary>Cancels them.</summary>
    public Task CancelAsync(HttpContext http) => ChangeAsync(http, CanCancel, async (id, cancellationToken) => await jobs.Services.Jobs.CancelAsync(id, cancellationToken));

    private async Task ChangeAsync(HttpContext http, JobState[] allowed, Func<Guid, CancellationToken, Task> change)
    {
        if (BodyForms.Of(http.Request.ContentType) != BodyForm.Json)
        {
            await ProblemResponse.WriteAsync(http, new Problem(StatusCodes.Status415UnsupportedMediaType, WeirCodes.UnsupportedMediaType, "Which jobs are meant is a JSON object: send it with Content-Type: application/json."));
            return;
        }

        var (query, expected) = Read(await ReadAsync(http), allowed);
        var found = await FindAsync(query, http.RequestAborted);
        if (found.Count != expected)
        {
            await ProblemResponse.WriteAsync(http, new Problem(
                StatusCodes.Status409Conflict, WeirCodes.JobWithoutResult,
                $"{(found.Count > Most ? $"More than {Most}" : found.Count)} jobs match now, and {expected} were expected: what was seen has changed, and no job was changed. See {WeirCodes.JobWithoutResult}."));
            return;
        }

        var changed = 0;
        foreach (var some in found.Chunk(AtOnce))
        {
            changed += (await Task.WhenAll(some.Select(id => ChangeAsync(id, query.State!.Value, change, http.RequestAborted)))).Count(static isChanged => isChanged);
        }

        await JobJson.WriteAsync(http, StatusCodes.Status200OK, json =>
        {
            json.WriteStartObject();
            json.WriteNumber("matched"u8, found.Count);
            json.WriteNumber("changed"u8, changed);
            json.WriteEndObject();
        });
    }

    // One that is in another state by now is left alone, as is one that refuses: a job that has succeeded would be made a second time.
    private async Task<bool> ChangeAsync(Guid id, JobState state, Func<Guid, CancellationToken, Task> change, CancellationToken cancellationToken)
    {
        if (await jobs.Services.Jobs.FindAsync(id, cancellationToken) is not { } now || now.Status.State != state)
        {
            return false;
        }

        try
        {
            await change(id, cancellationToken);
            return true;
        }
        catch (JobException)
        {
            return false;
        }
    }

    private async Task<List<Guid>> FindAsync(JobQuery query, CancellationToken cancellationToken)
    {
        var found = new List<Guid>();
        for (var isMore = true; isMore && found.Count <= Most;)
        {
            var page = await jobs.Services.Jobs.ListRecordsAsync(query with { Limit = Math.Min(PageSize, Most + 1 - found.Count), Before = found.Count == 0 ? null : found[^1] }, cancellationToken);
            found.AddRange(page.Select(static job => job.Id));
            isMore = page.Count == PageSize;
        }

        return found;
    }

    private static (JobQuery Query, int Expected) Read(ReadOnlyMemory<byte> body, JobState[] allowed)
    {
        var errors = new List<BindingError>();
        var (query, expected) = (new JobQuery(), -1);
        try
        {
            using var document = JsonDocument.Parse(body);
            if (document.RootElement.ValueKind != JsonValueKind.Object)
            {
                throw new JsonException();
            }

            foreach (var member in document.RootElement.EnumerateObject())
            {
                switch (member.Name)
                {
                    case "kind" or "key" or "state" when member.Value.ValueKind is JsonValueKind.String or JsonValueKind.Null:
                        query = With(query, member.Name, member.Value.GetString());
                        break;
                    case "expected" when member.Value.ValueKind == JsonValueKind.Number && member.Value.TryGetInt32(out var number):
                        expected = number;
                        break;
                    default:
                        errors.Add(new BindingError(member.Name, "body", member.Name is "kind" or "key" or "state" or "expected" ? BindingErrorReason.Invalid : BindingErrorReason.Unknown, "kind, state and key, which are texts, and expected, a number"));
                        break;
                }
            }
        }
        catch (JsonException)
        {
            throw new BindingException([new BindingError("", "body", BindingErrorReason.Invalid, "a JSON object with state and expected, and with kind and key, if they are meant")]);
        }

        if (query.State is not { } state || !allowed.Contains(state))
        {
            errors.Add(new BindingError("state", "body", BindingErrorReason.Invalid, $"one of {string.Join(", ", allowed.Select(static value => JobJson.Word(value)))}"));
        }

        if (expected is < 1 or > Most)
        {
            errors.Add(new BindingError("expected", "body", BindingErrorReason.Invalid, $"how many jobs match, from 1 to {Most}"));
        }

        return errors.Count > 0 ? throw new BindingException(errors) : (query, expected);
    }

    private static JobQuery With(JobQuery query, string name, string? value) => string.IsNullOrEmpty(value) ? query : name switch
    {
        "kind" => query with { Kind = value },
        "key" => query with { Key = value },
        _ => query with { State = JobJson.StateOf(value) },
    };

    private static async ValueTask<ReadOnlyMemory<byte>> ReadAsync(HttpContext http)
    {
        var body = new byte[MostBody + 1];
        var length = await http.Request.Body.ReadAtLeastAsync(body, body.Length, throwOnEndOfStream: false, http.RequestAborted);
        return length > MostBody ? throw new PayloadTooLargeException(CallStatus.BadRequest, $"A filter of jobs may have {MostBody} bytes.") : body.AsMemory(0, length);
    }
}
