namespace Weir.Dashboard.Streaming;

/// <summary>Those who watch: at most so many. Any thread.</summary>
/// <param name="most">How many.</param>
internal sealed class Viewers(int most)
{
    private int _count;

    /// <summary>One more.</summary>
    /// <returns><c>false</c> where there are as many as may be. Otherwise <see cref="Leave"/> has to be called.</returns>
    public bool TryEnter()
    {
        if (Interlocked.Increment(ref _count) <= most)
        {
            return true;
        }

        Leave();
        return false;
    }

    /// <summary>One less.</summary>
    public void Leave() => Interlocked.Decrement(ref _count);
}
