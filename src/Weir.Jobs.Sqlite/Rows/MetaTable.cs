using Weir.Jobs.Sqlite.Interop;

namespace Weir.Jobs.Sqlite.Rows;

/// <summary>What the file says of itself: whether it was closed, and which process has it open. The writer only.</summary>
internal sealed class MetaTable(Connection connection)
{
    private const string Clean = "clean";
    private const string Boot = "boot";

    private readonly Statement _select = connection.Prepare("SELECT value FROM meta WHERE name = ?1");
    private readonly Statement _set = connection.Prepare("INSERT INTO meta (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = excluded.value");

    /// <summary>Whether the process before closed the file.</summary>
    public bool IsClean => Get(Clean) is null or "1";

    /// <summary>Which start of the machine the process before ran in.</summary>
    public string LastBoot => Get(Boot) ?? "";

    /// <summary>The file is open from here on.</summary>
    public void Open(string boot)
    {
        connection.Execute("BEGIN IMMEDIATE");
        Set(Clean, "0");
        Set(Boot, boot);
        connection.Execute("COMMIT");
    }

    /// <summary>The file is closed.</summary>
    public void Close() => Set(Clean, "1");

    public void Set(string name, string value) => _set.Bind(1, name).Bind(2, value).Run();

    public string? Get(string name)
    {
        using (_select.Bind(1, name).Use())
        {
            return _select.Step() ? _select.Text(0) : null;
        }
    }
}
