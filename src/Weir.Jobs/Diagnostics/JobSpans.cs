using System.Diagnostics;
using Weir.Jobs.Storage;

namespace Weir.Jobs.Diagnostics;

/// <summary>
/// The spans of jobs, by the conventions for messages: <c>send {kind}</c> where a job is submitted, whose context is stored; <c>process {kind}</c> for each attempt, in a trace of its own that is linked to it.
/// </summary>
internal static class JobSpans
{
    private static readonly ActivitySource Source = new("Weir");

    /// <summary>A job is submitted.</summary>
    /// <returns><c>null</c> where no listener wants it.</returns>
    public static Activity? Send(string kind, Guid id)
    {
        var span = Source.HasListeners() ? Source.StartActivity($"send {kind}", ActivityKind.Producer) : null;
        return Describe(span, kind, id);
    }

    /// <summary>An attempt begins.</summary>
    /// <returns><c>null</c> where no listener wants it.</returns>
    public static Activity? Process(string kind, JobRecord job)
    {
        if (!Source.HasListeners())
        {
            return null;
        }

        ActivityLink[] links = ActivityContext.TryParse(job.TraceParent, job.TraceState, isRemote: true, out var sent) ? [new ActivityLink(sent)] : [];
        Activity.Current = null;
        var span = Source.StartActivity($"process {kind}", ActivityKind.Consumer, default(ActivityContext), links: links);
        span?.SetTag("weir.job.attempt", job.Status.Starts);
        return Describe(span, kind, job.Id);
    }

    private static Activity? Describe(Activity? span, string kind, Guid id)
    {
        if (span is { IsAllDataRequested: true })
        {
            span.SetTag("messaging.system", "weir");
            span.SetTag("messaging.destination.name", kind);
            span.SetTag("messaging.message.id", id.ToString());
        }

        return span;
    }
}
