namespace Weir.Client.Tests.Services;

/// <summary>The contract that the client of the tests was built for. The server has a later version: <see cref="Later.Notes"/>.</summary>
[Service("Notes")]
public interface INotes
{
    /// <summary>The later version has renamed a member of the result, so that an old client would read null.</summary>
    [Get]
    ValueTask<Note?> Find(int id, CancellationToken ct = default);

    /// <summary>The later version has one member more.</summary>
    [Get]
    ValueTask<Tag> First(CancellationToken ct = default);

    /// <summary>As <see cref="Find"/>, of items.</summary>
    [Get, Resumable]
    IAsyncEnumerable<Note> Watch(long from = 0, CancellationToken ct = default);

    /// <summary>As <see cref="First"/>, of items.</summary>
    [Get, Resumable]
    IAsyncEnumerable<Tag> Tags(long from = 0, CancellationToken ct = default);

    /// <summary>As <see cref="First"/>, with a body that is sent once.</summary>
    ValueTask<Tag> Import(Stream body, CancellationToken ct = default);

    /// <summary>As <see cref="Find"/>, with a body that is sent once.</summary>
    ValueTask<Note> Replace(Stream body, CancellationToken ct = default);
}

public sealed record Note(int Id, string? Text);

public sealed record Tag(string Name);
