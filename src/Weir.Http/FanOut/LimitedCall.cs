namespace Weir.Http.FanOut;

/// <summary>One request that waits for a <see cref="RequestLimiter"/>, or is in flight under it.</summary>
internal abstract class LimitedCall
{
    /// <summary>Its queue, from when it is added. The limiter's.</summary>
    public HostQueue? Queue { get; set; }

    /// <summary>When it was started, as a timestamp of the limiter's clock. The limiter's.</summary>
    public long StartedAt { get; set; }

    /// <summary>It had to wait, and may be sent now. Called once, without a lock; must not block or throw.</summary>
    public abstract void Start();

    /// <summary>It will not be sent: the limiter was stopped. Called once, without a lock; must not block or throw.</summary>
    public abstract void Drop();
}
