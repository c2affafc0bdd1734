namespace Weir;

/// <summary>
/// Lets calls of the operation be jobs: stored before they are acknowledged, run later, and asked for by their id. The operation can still be called
/// directly. Belongs on the method of the interface, where there is one. Where a call cannot be stored, it is a build error (WEIR1054). Every
/// value can also be set for a kind in <c>Weir:Jobs:Kinds</c> of the configuration, which wins.
/// </summary>
/// <remarks>
/// A job of an operation without <see cref="IdempotentAttribute"/> is started at most once, unless <see cref="Attempts"/> asks for more: when it is not
/// known how it ended, because its worker or its host is gone, it fails and a person decides. With <see cref="IdempotentAttribute"/> it is run again.
/// </remarks>
[AttributeUsage(AttributeTargets.Method)]
public sealed class JobAttribute : Attribute
{
    /// <summary>A job whose kind is named <c>Service/Operation</c>.</summary>
    public JobAttribute()
    {
    }

    /// <summary>A job whose kind has a name of its own, which stays when service or operation are renamed.</summary>
    /// <param name="kind">1 to 200 characters, letters, digits and <c>. _ - /</c>. Unique in an application, without regard to case.</param>
    public JobAttribute(string kind) => Kind = kind;

    /// <summary>The name of the kind; <c>null</c>, the default, is <c>Service/Operation</c>.</summary>
    public string? Kind { get; }

    /// <summary>
    /// How often a job is tried when the operation throws, or with <see cref="IdempotentAttribute"/> takes too long; the first time included, 1 to 1,000. 0, the default, means 1, and 5
    /// with <see cref="IdempotentAttribute"/>. Exceptions of <see cref="ThrowsAttribute"/> are answers: they are not tried again.
    /// </summary>
    public int Attempts { get; set; }

    /// <summary>How long one attempt may take, written <c>06:00:00</c>; longer than zero and at most 49 days. Default 1 hour; <c>null</c> means no limit.</summary>
    public string? Timeout { get; set; } = "01:00:00";

    /// <summary>The pause after the first failure, written <c>00:00:05</c>, the default; zero or more. Each further one is four times as long, up to <see cref="MaxBackoff"/>, times a random 0.5 to 1.</summary>
    public string Backoff { get; set; } = "00:00:05";

    /// <summary>The longest pause between attempts, written <c>01:00:00</c>, the default; at least <see cref="Backoff"/>.</summary>
    public string MaxBackoff { get; set; } = "01:00:00";

    /// <summary>
    /// How many jobs of the kind run at once in one process, 1 or more. 0, the default, means 16 where the operation runs in the host, inline or on the lane, and all places of
    /// its pool where it is isolated.
    /// </summary>
    public int Concurrency { get; set; }

    /// <summary>
    /// How many jobs of the kind with the same key run at once, in all processes of the store together, 1 or more. 0, the default, means no limit. A job without a key counts as one with the
    /// key <c>""</c>. A job above the limit waits and delays no job of another key.
    /// </summary>
    public int MaxPerKey { get; set; }

    /// <summary>
    /// How many jobs of the kind run at once, in all processes of the store together, 1 or more and at least <see cref="MaxPerKey"/>. 0, the default, means no limit. A job above the limit waits and
    /// delays no job of another kind.
    /// </summary>
    public int MaxTotal { get; set; }

    /// <summary>
    /// The parameter by whose value jobs take turns: within a kind, jobs of one key wait behind each other and not before those of another. One text, number, id, date or enum.
    /// <c>null</c>, the default: the job's <c>JobOptions.Key</c>, or no key.
    /// </summary>
    public string? Key { get; set; }

    /// <summary>
    /// When a request over HTTP becomes a job, where <c>MapWeirJobs</c> serves jobs. Default <see cref="JobRespond.WhenPreferred"/>. It is a part of the contract, which clients are generated from, so no
    /// configuration changes it.
    /// </summary>
    public JobRespond Respond { get; set; }
}
