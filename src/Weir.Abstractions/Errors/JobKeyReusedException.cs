namespace Weir;

/// <summary>A job with the same <see cref="JobOptions.IdempotencyKey"/>, kind and owner exists and has other arguments: two different calls have one key.</summary>
public sealed class JobKeyReusedException : WeirException
{
    /// <summary>Describes the two calls.</summary>
    /// <param name="id">The job that has the key.</param>
    /// <param name="kind">The kind of both.</param>
    /// <param name="key">The key.</param>
    public JobKeyReusedException(Guid id, string kind, string key)
        : base(
            CallStatus.BadRequest,
            WeirCodes.JobKeyReused,
            $"The idempotency key '{key}' belongs to job {id} of {kind}, which has other arguments: use another key for another call. See {WeirCodes.JobKeyReused}.") => Id = id;

    /// <summary>The job that has the key; empty for an anonymous caller over HTTP, to whom the server does not name it.</summary>
    public Guid Id { get; }
}
