namespace Weir.Client.Tests.Services.Later;

[Service("Notes")]
public sealed class Notes
{
    private static int _runs;

    internal static int Runs => Volatile.Read(ref _runs);

    [Get]
    public Note? Find(int id)
    {
        Interlocked.Increment(ref _runs);
        return new Note(id, "new");
    }

    [Get]
    public Tag First() => new("new", 1);

    [Get, Resumable]
    public async IAsyncEnumerable<Note> Watch(long from = 0)
    {
        await Task.Yield();
        Interlocked.Increment(ref _runs);
        yield return new Note((int)from, "new");
    }

    [Get, Resumable]
    public async IAsyncEnumerable<Tag> Tags(long from = 0)
    {
        for (var index = from; index < 4; index++)
        {
            await Task.Yield();
            yield return new Tag($"new {index}", 1);
        }
    }

    public async Task<Tag> Import(Stream body)
    {
        using var reader = new StreamReader(body);
        return new Tag(await reader.ReadToEndAsync(), 1);
    }

    public async Task<Note> Replace(Stream body)
    {
        using var reader = new StreamReader(body);
        return new Note(0, await reader.ReadToEndAsync());
    }
}

public sealed record Note(int Id, string? Remark);

public sealed record Tag(string Name, int Uses);
