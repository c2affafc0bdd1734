using System.Globalization;
using System.Text.Json;
using Weir.Client.Responses;

namespace Weir.Client.Jobs;

/// <summary>A job as a server describes it. Immutable.</summary>
/// <param name="Info">What is known of it.</param>
/// <param name="Problem">Why it has no result; <c>null</c> where it has one, or has not ended.</param>
/// <param name="Self">Its path; <c>null</c> where the server does not say.</param>
internal sealed record RemoteJob(JobInfo Info, RemoteProblem? Problem, string? Self)
{
    /// <summary>Reads it. What a newer server adds is ignored, but for a state: a wait would not know whether it is an end.</summary>
    /// <param name="operation">For errors.</param>
    /// <param name="json">The job.</param>
    /// <exception cref="UnexpectedResponseException">It is no job, or in a state that this client does not know.</exception>
    internal static RemoteJob Read(string operation, ReadOnlySpan<byte> json)
    {
        try
        {
            using var document = JsonDocument.Parse(json.ToArray());
            return Read(operation, document.RootElement);
        }
        catch (Exception error) when (error is JsonException or InvalidOperationException or FormatException)
        {
            throw new UnexpectedResponseException($"{operation} answered with no job: {error.Message} Does BaseAddress name a server with MapWeirJobs?", error);
        }
    }

    private static RemoteJob Read(string operation, JsonElement job)
    {
        var problem = Member(job, "problem") is { ValueKind: JsonValueKind.Object } described ? ProblemReader.Read(described) : null;
        var info = new JobInfo
        {
            Id = Id(job, "id") ?? throw new FormatException("it has no 'id'."),
            Kind = Text(job, "kind") ?? throw new FormatException("it has no 'kind'."),
            State = StateOf(operation, Text(job, "state") ?? throw new FormatException("it has no 'state'.")),
            Reason = ReasonOf(Text(job, "reason")),
            Stopping = Text(job, "stopping") switch { "cancel" => JobStop.Cancel, "timeout" => JobStop.Timeout, _ => JobStop.None },
            Attempt = (int)Number(job, "attempt"),
            Attempts = (int)Number(job, "attempts"),
            Submitted = Time(job, "submitted") ?? default,
            Due = Time(job, "due") ?? default,
            Started = Time(job, "started"),
            Ended = Time(job, "ended"),
            Expires = Time(job, "expires"),
            Progress = Member(job, "progress") is { ValueKind: JsonValueKind.Object } progress ? new JobProgress(Member(progress, "fraction") is { ValueKind: JsonValueKind.Number } fraction ? fraction.GetDouble() : 0, Text(progress, "text")) : null,
            Items = Number(job, "items"),
            Key = Text(job, "key"),
            Priority = Text(job, "priority") switch { "low" => JobPriority.Low, "high" => JobPriority.High, _ => JobPriority.Normal },
            Parent = Id(job, "parent"),
            Error = problem?.Detail is { Length: > 0 } detail ? detail : null,
        };
        return new RemoteJob(info, problem, Member(job, "links") is { ValueKind: JsonValueKind.Object } links ? Text(links, "self") : null);
    }

    private static JobState StateOf(string operation, string state) => state switch
    {
        "scheduled" => JobState.Scheduled,
        "ready" => JobState.Ready,
        "running" => JobState.Running,
        "succeeded" => JobState.Succeeded,
        "failed" => JobState.Failed,
        "cancelled" => JobState.Cancelled,
        "expired" => JobState.Expired,
        _ => throw new UnexpectedResponseException($"A job of {operation} is in the state '{state}', which this version of Weir.Client does not know: update the package to that of the server. See {WeirCodes.UnexpectedResponse}."),
    };

    // One that a newer server adds is none: the state says that the job failed, and its problem says why.
    private static JobReason ReasonOf(string? reason) => reason switch
    {
        "exception" => JobReason.Exception,
        "crashed" => JobReason.Crashed,
        "lost" => JobReason.Lost,
        "timeout" => JobReason.Timeout,
        "interrupted" => JobReason.Interrupted,
        "arguments" => JobReason.Arguments,
        "quarantined" => JobReason.Quarantined,
        _ => JobReason.None,
    };

    private static JsonElement? Member(JsonElement of, string name) => of.TryGetProperty(name, out var value) ? value : null;

    private static string? Text(JsonElement of, string name) => Member(of, name) is { ValueKind: JsonValueKind.String } value ? value.GetString() : null;

    private static long Number(JsonElement of, string name) => Member(of, name) is { ValueKind: JsonValueKind.Number } value && value.TryGetInt64(out var number) ? number : 0;

    private static Guid? Id(JsonElement of, string name) => Text(of, name) is { } text ? Guid.Parse(text) : null;

    private static DateTimeOffset? Time(JsonElement of, string name) => Text(of, name) is { } text ? DateTimeOffset.Parse(text, CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal) : null;
}
