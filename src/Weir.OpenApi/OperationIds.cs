namespace Weir.OpenApi;

/// <summary>
/// Gives each operation of a document an id of its own: a further path or verb of one operation gets its verb, and a number where that is not
/// enough. A description without a group is in every document.
/// </summary>
internal sealed class OperationIds
{
    private readonly List<(string? Group, string Id)> _given = [];

    internal string Next(string? group, string name, string verb)
    {
        var id = name;
        for (var number = 1; IsGiven(group, id); number++)
        {
            id = number == 1 ? $"{name}_{verb[0]}{verb[1..].ToLowerInvariant()}" : $"{name}_{number}";
        }

        _given.Add((group, id));
        return id;
    }

    private bool IsGiven(string? group, string id) => _given.Exists(one => one.Id == id && (one.Group is null || group is null || one.Group == group));
}
