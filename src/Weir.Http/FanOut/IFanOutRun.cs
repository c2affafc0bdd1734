namespace Weir.Http.FanOut;

/// <summary>The fan-out of a call, whatever its results are.</summary>
internal interface IFanOutRun
{
    /// <summary>Sends a request that may start.</summary>
    void Send(FanOutCall call);

    /// <summary>A request will not be sent.</summary>
    void Drop();
}
