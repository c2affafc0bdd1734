using Weir.Jobs.Sqlite.Rows;

namespace Weir.Jobs.Sqlite.Reading;

/// <summary>Two readers. Who finds none waits; a read runs on the thread of its caller.</summary>
internal sealed class ReaderPool : IDisposable
{
    private const int Readers = 2;

    private readonly SemaphoreSlim _free = new(Readers);
    private readonly Stack<Reader> _readers = new();

    public ReaderPool(string path, Kinds kinds)
    {
        for (var reader = 0; reader < Readers; reader++)
        {
            _readers.Push(new Reader(path, kinds));
        }
    }

    public async ValueTask<T> ReadAsync<TState, T>(TState state, Func<Reader, TState, CancellationToken, T> read, CancellationToken cancellationToken)
    {
        await _free.WaitAsync(cancellationToken);
        Reader? reader = null;
        try
        {
            reader = Take();
            return read(reader, state, cancellationToken);
        }
        finally
        {
            if (reader is not null)
            {
                GiveBack(reader);
            }

            _free.Release();
        }
    }

    /// <summary>Waits for reads that are under way, and closes the readers.</summary>
    public async ValueTask EndAsync()
    {
        for (var reader = 0; reader < Readers; reader++)
        {
            await _free.WaitAsync();
        }

        Dispose();
        _free.Release(Readers);
    }

    public void Dispose()
    {
        lock (_readers)
        {
            while (_readers.TryPop(out var reader))
            {
                reader.Dispose();
            }
        }
    }

    private Reader Take()
    {
        lock (_readers)
        {
            return _readers.TryPop(out var reader) ? reader : throw new ObjectDisposedException(nameof(SqliteJobStore));
        }
    }

    private void GiveBack(Reader reader)
    {
        lock (_readers)
        {
            _readers.Push(reader);
        }
    }
}
