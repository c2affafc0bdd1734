using System.Runtime.ExceptionServices;

namespace Weir;

/// <summary>How one call of a batch ended.</summary>
/// <typeparam name="T">The result's type; <see cref="NoResult"/> where there is none.</typeparam>
public readonly struct BatchResult<T>
{
    private readonly T _result;

    internal BatchResult(int index, T result, Exception? failure)
    {
        Index = index;
        _result = result;
        Failure = failure;
    }

    /// <summary>Which of the items it was for, from 0.</summary>
    public int Index { get; }

    /// <summary>What the call threw; <c>null</c> when it ended well.</summary>
    public Exception? Failure { get; }

    /// <summary>The result; throws <see cref="Failure"/> where there is one.</summary>
    public T Result
    {
        get
        {
            if (Failure is not null)
            {
                ExceptionDispatchInfo.Throw(Failure);
            }

            return _result;
        }
    }
}
