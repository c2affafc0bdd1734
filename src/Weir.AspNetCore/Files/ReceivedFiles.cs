using System.Runtime.ExceptionServices;
using Weir.Runtime;

namespace Weir.AspNetCore.Files;

/// <summary>
/// The files of one call as they arrive, one after the other. A failure that ended them early is thrown by every further read too: a file that was cut never looks
/// complete. Not for concurrent use.
/// </summary>
/// <param name="items">Where they arrive.</param>
/// <param name="name">The field of the form, for binding errors.</param>
/// <param name="isList">Whether there may be several.</param>
internal sealed class ReceivedFiles(ItemReader items, string name, bool isList)
{
    // Of a file that was not given out yet.
    private FileDescriptor? _next;
    private ReceivedFile? _current;
    private bool _wasRead;
    private bool _hasEnded;
    private Exception? _failure;

    /// <summary>Whether nothing was read yet.</summary>
    public bool IsUnread => !_wasRead;

    /// <summary>Whether all files were given out.</summary>
    public bool HasEnded => _hasEnded;

    /// <summary>Whether there may be several.</summary>
    public bool IsList => isList;

    /// <summary>The current piece of a file.</summary>
    public ReadOnlyMemory<byte> Piece => items.Current;

    /// <summary>Waits for the next file; what was not read of the one before is dropped. <c>null</c> after the last.</summary>
    /// <param name="cancellationToken">Cancels the waiting.</param>
    /// <exception cref="InvalidDataException">Bytes came before a descriptor.</exception>
    public async ValueTask<ReceivedFile?> NextAsync(CancellationToken cancellationToken)
    {
        var before = _current;
        while (_next is null)
        {
            if (!await MoveNextAsync(cancellationToken).ConfigureAwait(false))
            {
                return null;
            }

            if (items.CurrentEncoding != ResultEncoding.Raw)
            {
                TakeDescriptor();
                continue;
            }

            items.Release();
            if (before is null)
            {
                throw Note(new InvalidDataException("Bytes of a file came before its descriptor."));
            }
        }

        _current = new ReceivedFile(this, _next);
        _next = null;
        return _current;
    }

    /// <summary>Advances to the next piece of a file; <c>false</c> at its end.</summary>
    /// <param name="file">The file.</param>
    /// <param name="cancellationToken">Cancels the waiting.</param>
    /// <exception cref="InvalidOperationException">The next file was requested before this one was read.</exception>
    /// <exception cref="BindingException">A second file came where one is expected.</exception>
    public async ValueTask<bool> MoveNextAsync(ReceivedFile file, CancellationToken cancellationToken)
    {
        if (!ReferenceEquals(file, _current))
        {
            throw new InvalidOperationException($"The content of '{file.FileName}' is gone, because the next file was requested: read each file before the next one.");
        }

        if (_next is not null || !await MoveNextAsync(cancellationToken).ConfigureAwait(false))
        {
            return false;
        }

        if (items.CurrentEncoding == ResultEncoding.Raw)
        {
            return true;
        }

        TakeDescriptor();
        return isList ? false : throw Note(Second(name));
    }

    /// <summary>The current piece was read.</summary>
    public void Release() => items.Release();

    /// <summary>No more is wanted. Not while an advance runs.</summary>
    public ValueTask StopAsync() => _wasRead && !_hasEnded && _failure is null ? items.StopAsync() : default;

    /// <summary>What to throw for a second file where one is expected.</summary>
    public static BindingException Second(string name) => new([new BindingError(name, "form", BindingErrorReason.Duplicate, "one file")]);

    private async ValueTask<bool> MoveNextAsync(CancellationToken cancellationToken)
    {
        if (_failure is { } failure)
        {
            ExceptionDispatchInfo.Throw(failure);
        }

        if (_hasEnded)
        {
            return false;
        }

        _wasRead = true;
        try
        {
            _hasEnded = !await items.MoveNextAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (Exception thrown)
        {
            if (thrown is not OperationCanceledException || !cancellationToken.IsCancellationRequested)
            {
                _failure = thrown;
            }

            throw;
        }

        return !_hasEnded;
    }

    private void TakeDescriptor()
    {
        try
        {
            _next = FileDescriptor.Read(items.Current);
        }
        catch (InvalidDataException error)
        {
            throw Note(error);
        }
        finally
        {
            items.Release();
        }
    }

    private Exception Note(Exception failure)
    {
        _failure = failure;
        return failure;
    }
}
