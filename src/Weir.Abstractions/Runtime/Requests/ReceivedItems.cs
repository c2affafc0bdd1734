using System.Runtime.CompilerServices;
using System.Runtime.ExceptionServices;

namespace Weir.Runtime;

/// <summary>
/// The streamed request as the operation gets it: the reader's items, decoded one by one when they are requested. They can be
/// enumerated once, because they are gone when they have been read. An error that ended them early is thrown by every further advance
/// too: an operation that continues after it must not take the items it got for all of them.
/// </summary>
internal sealed class ReceivedItems<T>(ItemReader reader, ItemCodec<T> codec, string parameter) : IAsyncEnumerable<T>, IAsyncEnumerator<T>
{
    private readonly BindingErrorList _errors = new() { RefuseUnknown = reader.RefusesUnknown, AcceptsNull = reader.AcceptsNull, Serializer = reader.Serializer };

    private ArgumentValidator? _validator;
    private CancellationToken _call;
    private CancellationToken _either;
    private CancellationTokenSource? _linked;
    private int _isTaken;
    private bool _isStopped;
    private Exception? _failure;
    private long _index = -1;

    public T Current { get; private set; } = default!;

    /// <summary>Lets the call's token cancel the waiting for an item, whatever token the operation enumerates with.</summary>
    public ReceivedItems<T> Within(CancellationToken call)
    {
        _call = call;
        return this;
    }

    public IAsyncEnumerator<T> GetAsyncEnumerator(CancellationToken cancellationToken = default)
    {
        if (Interlocked.Exchange(ref _isTaken, 1) != 0)
        {
            throw new InvalidOperationException($"The items of '{parameter}' can be enumerated only once; store those that are needed again.");
        }

        _either = _call;
        if (cancellationToken.CanBeCanceled && cancellationToken != _call)
        {
            _linked = CancellationTokenSource.CreateLinkedTokenSource(_call, cancellationToken);
            _either = _linked.Token;
        }

        return this;
    }

    public ValueTask<bool> MoveNextAsync()
    {
        if (_failure is { } failure)
        {
            ExceptionDispatchInfo.Throw(failure);
        }

        _either.ThrowIfCancellationRequested();
        if (_isStopped)
        {
            return new ValueTask<bool>(false);
        }

        try
        {
            var moving = reader.MoveNextAsync(_either);
            return moving.IsCompletedSuccessfully ? new ValueTask<bool>(Take(moving.Result)) : AwaitAsync(moving);
        }
        catch (Exception thrown)
        {
            Note(thrown);
            throw;
        }
    }

    public async ValueTask DisposeAsync()
    {
        _linked?.Dispose();
        if (!_isStopped)
        {
            _isStopped = true;
            await reader.StopAsync().ConfigureAwait(false);
        }
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<bool> AwaitAsync(ValueTask<bool> moving)
    {
        try
        {
            return Take(await moving.ConfigureAwait(false));
        }
        catch (Exception thrown)
        {
            Note(thrown);
            throw;
        }
    }

    // A token that fired is not an error of the items.
    private void Note(Exception thrown)
    {
        if (thrown is not OperationCanceledException || !_either.IsCancellationRequested)
        {
            _failure = thrown;
        }
    }

    private bool Take(bool moved)
    {
        if (!moved)
        {
            return false;
        }

        _index++;
        _errors.Source = reader.Source;
        _errors.Enter(parameter);
        _errors.Enter((int)Math.Min(_index, int.MaxValue));
        try
        {
            Current = codec.Read(reader.Current.Span, reader.CurrentEncoding, _errors);
        }
        catch (Exception thrown) when (_errors.TryAdd(thrown))
        {
            // The item's type refused its values: a binding error like any other.
        }
        finally
        {
            reader.Release();
        }

        // What the host accepted is not judged again in a worker.
        if (codec.IsValidated && !reader.AcceptsNull && _errors.Count == 0)
        {
            codec.Validate(Current, _validator ??= new ArgumentValidator(_errors, reader.Services));
        }

        _errors.LeaveTo(0);
        _errors.ThrowIfAny();
        return true;
    }
}
