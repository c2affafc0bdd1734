namespace Weir.AspNetCore.Responses;

/// <summary>Who answers calls in another way than by running them now. Set while the application is set up, by one thread, and read concurrently afterwards.</summary>
internal sealed class DeferredCalls
{
    /// <summary><c>null</c> where nothing does.</summary>
    internal ICallDeferral? Deferral { get; set; }
}
