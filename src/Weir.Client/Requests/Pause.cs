namespace Weir.Client.Requests;

/// <summary>Waits by the clock of the machine: nothing is decided by it but when to try again or to give up.</summary>
internal static class Pause
{
    internal static Task ForAsync(TimeSpan span, CancellationToken cancellationToken)
    {
#if NET
        return Task.Delay(span, TimeProvider.System, cancellationToken);
#else
#pragma warning disable RS0030 // There is no TimeProvider here.
        return Task.Delay(span, cancellationToken);
#pragma warning restore RS0030
#endif
    }
}
