using Weir.Lab.Isolation;

namespace Weir.Lab.Contenders.OnWeir;

/// <summary>Document 003's task in a worker. A worker runs one call at a time, so the task's statics are safe.</summary>
[Service, Isolated("tasks")]
public sealed class HelloTasks
{
    public string NothingOf(int bytes) => new HelloTask().DoTask(TaskKind.Nothing, bytes);

    public string LoadOf(int bytes) => new HelloTask().DoTask(TaskKind.Load, bytes);

    public string Nothing(ReadOnlyMemory<byte> data) => "";

    public string Load(byte[] data) => new HelloTask().DoTask(TaskKind.Load, data);

    public string Hash(byte[] data) => new HelloTask().DoTask(TaskKind.Hash, data);

    /// <summary>The shape whose calls must not allocate.</summary>
    public int Length(ReadOnlyMemory<byte> data) => data.Length;

    /// <summary>Writes down that it began and that it ended.</summary>
    public string Witnessed(string folder, long number, byte[] data)
    {
        Witness.Began(folder, number);
        var answer = new HelloTask().DoTask(TaskKind.Hash, data);
        Witness.Ended(folder, number);
        return answer;
    }
}
