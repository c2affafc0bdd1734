namespace Weir.Execution;

/// <summary>The client whose calls a batch makes: over an invoker that holds them, where it is a proxy, or else as it is.</summary>
internal sealed class HeldClient<TClient>
    where TClient : class
{
    public HeldClient(TClient client, CancellationToken callerToken)
    {
        ArgumentNullException.ThrowIfNull(client);
        Client = client;
        if (client is IProxy proxy)
        {
            Invoker = new HoldingInvoker(proxy.Invoker, callerToken);
            Client = (TClient)proxy.Over(Invoker);
        }
    }

    public TClient Client { get; }

    /// <summary>Holds the client's calls; <c>null</c> where nothing can.</summary>
    public HoldingInvoker? Invoker { get; }

    /// <summary>The call that the client made last, on this thread; <c>null</c> where there was none.</summary>
    public Call? TakeLast() => Invoker?.TakeLast();
}
