namespace Weir;

/// <summary>How one job is submitted. Everything is optional.</summary>
public sealed class JobOptions
{
    /// <summary>
    /// Makes a repeated submission harmless: while a job of the same kind and <see cref="Owner"/> with this key is kept, that job is what a further submission returns
    /// (<see cref="Job.IsExisting"/>), if its arguments are the same; with others it fails with <see cref="JobKeyReusedException"/>. It is compared when a job is submitted, and at no other time.
    /// 1 to 200 characters; <c>null</c>, the default, for none.
    /// </summary>
    public string? IdempotencyKey { get; set; }

    /// <summary>How long <see cref="IdempotencyKey"/> stands for the job; default <see cref="JobUniqueness.Retention"/>. Without a key it is an error to set another value.</summary>
    public JobUniqueness UniqueUntil { get; set; }

    /// <summary>Not to be started before; <c>null</c>, the default, for at once. Not together with <see cref="After"/>.</summary>
    public DateTimeOffset? Due { get; set; }

    /// <summary>Not to be started before so much time has passed, zero or more; <c>null</c>, the default, for at once. Not together with <see cref="Due"/>.</summary>
    public TimeSpan? After { get; set; }

    /// <summary>
    /// How long after its submission the job may begin, longer than zero, and longer than the time until it is due: one that has not begun by then ends as <see cref="JobState.Expired"/>. A job that was begun and waits for another
    /// attempt does not expire. <c>null</c>, the default, for any time.
    /// </summary>
    public TimeSpan? ExpiresAfter { get; set; }

    /// <summary>
    /// By what jobs of the kind take turns. At most 200 characters; <c>null</c>, the default, for the <see cref="Owner"/>, or none. An error where the kind has a <see cref="JobAttribute.Key"/>: the argument is the key there.
    /// </summary>
    public string? Key { get; set; }

    /// <summary>How it is preferred to others of its kind; default <see cref="JobPriority.Normal"/>.</summary>
    public JobPriority Priority { get; set; }

    /// <summary>For whom it is submitted: idempotency keys of different owners are different keys. At most 200 characters; <c>null</c>, the default, for the application itself.</summary>
    public string? Owner { get; set; }
}
