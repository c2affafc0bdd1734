namespace Weir.Http.FanOut;

/// <summary>One request of a fan-out.</summary>
/// <param name="index">Its position in the input.</param>
/// <param name="request">The request.</param>
/// <param name="readAt">When it was read from the input, as a timestamp of the fan-out's clock.</param>
/// <param name="run">Sends it.</param>
internal sealed class FanOutCall(long index, HttpRequestMessage request, long readAt, IFanOutRun run) : LimitedCall
{
    /// <summary>Its position in the input.</summary>
    public long Index => index;

    /// <summary>The request.</summary>
    public HttpRequestMessage Request => request;

    /// <summary>When it was read from the input, as a timestamp of the fan-out's clock.</summary>
    public long ReadAt => readAt;

    public override void Start() => run.Send(this);

    public override void Drop() => run.Drop();
}
