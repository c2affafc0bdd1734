namespace Weir.Jobs.Sqlite.Rows;

/// <summary>What is stored with a job is not what was written. Other jobs are not concerned.</summary>
internal sealed class DamagedRowException(string what, long row) : Exception($"The {what} of the row {row} are damaged.")
{
}
