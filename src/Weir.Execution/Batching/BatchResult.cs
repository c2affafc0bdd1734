using System.Runtime.ExceptionServices;

namespace Weir;

/// <summary>The outcome of one call of a batch.</summary>
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

    /// <summary>The index of the item that the call was made for, from 0.</summary>
    public int Index { get; }

    /// <summary>The exception of the call; <c>null</c> when it succeeded.</summary>
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
