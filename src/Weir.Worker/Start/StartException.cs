namespace Weir.Worker.Start;

/// <summary>The worker cannot start: the phase that failed, and the exception that was thrown there.</summary>
internal sealed class StartException(string phase, Exception cause) : Exception(phase, cause)
{
    public string Phase { get; } = phase;

    public static void Attempt(string phase, Action work) => Attempt(phase, () =>
    {
        work();
        return true;
    });

    public static T Attempt<T>(string phase, Func<T> work)
    {
        try
        {
            return work();
        }
        catch (Exception cause)
        {
            throw new StartException(phase, cause);
        }
    }
}
