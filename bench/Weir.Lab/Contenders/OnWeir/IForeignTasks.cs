namespace Weir.Lab.Contenders.OnWeir;

/// <summary>Document 003's task, served by workers in another language; no class here does.</summary>
[Service, Isolated(ForeignWorkers.Pool)]
public interface IForeignTasks
{
    ValueTask<string> NothingOf(int bytes, CancellationToken ct = default);

    ValueTask<string> LoadOf(int bytes, CancellationToken ct = default);

    ValueTask<string> Nothing(ReadOnlyMemory<byte> data, CancellationToken ct = default);

    ValueTask<string> Load(ReadOnlyMemory<byte> data, CancellationToken ct = default);

    ValueTask<string> Hash(ReadOnlyMemory<byte> data, CancellationToken ct = default);
}
